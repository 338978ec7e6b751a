"""A program that prints the names of its environment; told to wait, it does nothing but that."""

import os
import sys
import time

if __name__ == "__main__":
    if sys.stdin.buffer.read() == b"wait":
        time.sleep(3_600)
    sys.stdout.write("\n".join(os.environ))

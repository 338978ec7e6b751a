"""Documents as text: what a file says, whatever made it. Each kind is read by a program of its own, which may harm
nobody: the files are strangers'.
"""

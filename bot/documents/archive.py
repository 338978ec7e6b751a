"""The archive that a document of an office program is: looked at before anything of it is unpacked."""

from io import BytesIO
from zipfile import ZipFile

from bot.documents.program import Stopped

MAX_MEMBERS = 5_000
MAX_UNPACKED_BYTES = 150_000_000


def check_archive(data: bytes) -> None:
    """Raises: Stopped when it would unpack to too much; zipfile.BadZipFile."""
    with ZipFile(BytesIO(data)) as archive:
        members = archive.infolist()
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise Stopped("too large")

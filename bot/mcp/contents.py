"""Contents: what a tool of a server brought, in words. Pictures, sounds and files are named and not taken."""

import json

from mcp import types


def words_of(result: types.CallToolResult) -> str:
    """Return the words of a result, and a line for each thing in it that has none."""
    said = [_words(block) for block in result.content]
    if result.structured_content is not None and not any(isinstance(one, types.TextContent) for one in result.content):
        said.append(json.dumps(result.structured_content, ensure_ascii=False))
    return "\n\n".join(filter(None, said))


def _words(block: types.ContentBlock) -> str:
    match block:
        case types.TextContent():
            return block.text
        case types.ImageContent() | types.AudioContent():
            return f"[{block.type} {block.mime_type}, {_size(block.data)}]"
        case types.ResourceLink():
            return f"[file {block.name}: {block.uri}]"
        case types.EmbeddedResource(resource=types.TextResourceContents() as text):
            return f"[file {text.uri}]\n{text.text}"
        case types.EmbeddedResource(resource=types.BlobResourceContents() as blob):
            return f"[file {blob.uri}, {blob.mime_type or 'bytes'}, {_size(blob.blob)}]"
    return "[something that is not known]"


def _size(encoded: str) -> str:
    return f"{len(encoded) * 3 // 4:,} bytes"

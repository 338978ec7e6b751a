"""Which model and which embedder the settings ask for, opened for the length of a context."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.models.embedder import GeminiEmbedder
from bot.models.gemini import GeminiModel
from bot.models.local_embedder import LocalEmbedder
from bot.models.reader import OfflineReader
from bot.settings import Settings
from memory.ports import Clock, Embedder, Model


@asynccontextmanager
async def open_model(settings: Settings, clock: Clock) -> AsyncIterator[Model]:
    """Open the chat's model: the offline reader where there is no key."""
    if settings.gemini_api_key is None:
        yield OfflineReader()
        return
    async with open_gemini(settings, clock) as gemini:
        yield gemini


@asynccontextmanager
async def open_embedder(settings: Settings, clock: Clock, model: Model | None = None) -> AsyncIterator[Embedder | None]:
    """Open the embedder; Gemini's shares the connections of a model that is open already."""
    match settings.embedder_in_use:
        case "local":
            yield LocalEmbedder()
        case "gemini" if isinstance(model, GeminiModel):
            yield GeminiEmbedder(model, clock)
        case "gemini":
            async with open_gemini(settings, clock) as gemini:
                yield GeminiEmbedder(gemini, clock)
        case "none":
            yield None


def open_gemini(settings: Settings, clock: Clock) -> GeminiModel:
    """Return Gemini by the settings, which hold its key; a context closes it."""
    assert settings.gemini_api_key is not None
    return GeminiModel(
        api_key=settings.gemini_api_key.get_secret_value(),
        chat_model=settings.gemini_model,
        utility_model=settings.gemini_utility_model,
        fallback_model=settings.gemini_fallback_model,
        base_url=settings.gemini_base_url,
        clock=clock,
    )

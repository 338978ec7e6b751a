"""Amiss: one thing that an examination found amiss, what that means in words, and what can be done about it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from memory.catalogue import N_, _
from memory.probe import canary
from memory.store.probe_alarms import Alarm

LOST: Mapping[str, str] = {
    "stored": N_("The message in which you said it is gone from my storage."),
    "extracted": N_("The message is there, but the fact that I had made of it is gone from my list."),
    "active": N_(
        "It is in my list, but not as you said it: altered, or marked as no longer true though nobody said so."
    ),
    "rendered": N_("It is in my list of facts, but the list I read before I answer does not show it."),
    "segment": N_("The message is there, but the part of it that I search is gone or damaged."),
    "indexed": N_("The message is there, but my search index has lost it."),
    "ranked": N_("The message is in my search index, but a question about it no longer finds it."),
    "packed": N_("A search finds the message, but it no longer gets among what I read before I answer."),
    "read": N_("It was in front of me, and I answered without it or wrongly all the same."),
}
"""Where a fact was lost, by the layer that says no first."""
PLACES: Mapping[str, str] = {
    "ledger": N_("my list of facts"),
    "recalled": N_("what I find by searching"),
    "handoff": N_("my summary of earlier talk"),
    "journal": N_("my journal"),
    "procedure": N_("a procedure"),
    "vectors": N_("my search by meaning"),
}
"""What may still tell of something, as it stands behind an "in"."""
REMEDIES: Mapping[str, str] = {
    "stored": N_("I can't bring it back by myself: tell me again, or ask the operator for a backup."),
    "extracted": N_("I can read the message again."),
    "active": N_("I can read the message again."),
    "rendered": N_("I can make its index anew; pinning it (`/facts {ref} pin`) puts it first."),
    "segment": N_("I can cut and index the message again."),
    "indexed": N_("I can make the index anew."),
    "ranked": N_("I can make the index anew; another question (`/facts {ref} question …`) may find it better."),
    "packed": N_("Nothing is lost from my storage; pinning it (`/facts {ref} pin`) puts it first."),
    "read": N_("Nothing is lost from my storage; a clearer question (`/facts {ref} question …`) may help."),
}
CANARY_STEPS: Mapping[str, str] = {
    canary.COUNTED: N_("it stood there before I had learnt it"),
    canary.PLANTED: N_("I did not store it"),
    canary.EXTRACTED: N_("I made no fact of it"),
    canary.LITERAL: N_("a search for its own words did not find it"),
    canary.MEANING: N_("a search with a question about it did not find it"),
    canary.RETRIEVED: N_("in a new conversation I did not have it before me"),
    canary.ANSWERED: N_("asked about it, I did not answer with it"),
    canary.FORGOTTEN: N_("it was still there after I had been told to forget it"),
    canary.GONE: N_("something of it was left after I had forgotten it"),
    canary.SILENT: N_("in a new conversation I still had it before me after I had forgotten it"),
    canary.ADMITTED: N_("asked about it after I had forgotten it, I did not say that I don't know it"),
}
"""What went wrong, by the step of the canary's way that failed."""
STEP_FAILED = N_("a step failed")
UNKNOWN = N_("I no longer know it.")
RESTORABLE = frozenset({"extracted", "active", "rendered", "segment", "indexed", "ranked"})
"""Layers that can be made anew from the message itself."""


@dataclass(frozen=True)
class Amiss:
    """One thing that is amiss. `said` is what the member said of it, shortened; "" where that is gone or private.

    `is_derived`: of files, and those can be made anew from others that are sound.
    """

    alarm: Alarm
    about: str = ""
    said: str = ""
    message_id: int | None = None
    is_derived: bool = False

    @property
    def can_be_restored(self) -> bool:
        has_source = self.alarm.kind == "lost" and self.alarm.layer in RESTORABLE and self.message_id is not None
        return has_source or self.is_derived


def layer_words(alarm: Alarm) -> str:
    """Return what an alarm means, in a sentence."""
    match alarm.kind:
        case "lost":
            return _(LOST.get(alarm.layer, UNKNOWN))
        case "leak":
            return _("If you had me forget it, it would still stand in {place}.").format(place=_place(alarm))
        case "stale":
            return _("An old value of it still stands as the current one in {place}.").format(place=_place(alarm))
        case "unaskable":
            return _("I can't tell whether I know it: its question can be answered without it, or does not fit it.")
        case "canary":
            return _(
                "Each night, on a copy, I learn a made-up fact and forget it again. That went wrong: {what}."
            ).format(what=_(CANARY_STEPS.get(alarm.layer, STEP_FAILED)))
        case "integrity":
            return _("Something in my files does not agree ({ref}): {faults}.").format(
                ref=alarm.ref, faults="; ".join(_fault(words) for words in alarm.layer.split("; "))
            )


def remedy(one: Amiss) -> str:
    """Return what can be done about it; "" for nothing."""
    match one.alarm.kind:
        case "lost" if one.alarm.layer in RESTORABLE and not one.can_be_restored:
            return _(REMEDIES["stored"])
        case "lost":
            remedy = REMEDIES.get(one.alarm.layer)
            return _(remedy).format(ref=one.alarm.ref) if remedy else ""
        case "stale" | "leak":
            return _("`/facts {ref}` shows what I hold about it.").format(ref=one.alarm.ref)
        case "canary":
            return _("Your own facts are examined apart from it, so none of them needs to be lost; tell the operator.")
        case "integrity" if one.is_derived:
            return _("I can make it anew from what you said, which is not touched by it.")
        case "integrity":
            return _("The operator can look into it: `remembrancer doctor --deep`.")
        case _:
            return ""


def _place(alarm: Alarm) -> str:
    return _(PLACES.get(alarm.layer, alarm.layer))


def _fault(words: str) -> str:
    """Return what is wrong with files as a member reads it; the ids behind a colon stay."""
    said, colon, ids = words.partition(": ")
    return f"{_(said)}{colon}{ids}"

package dev.berth.core.card;

/** A known card and whether it can be read now. */
public sealed interface CardState {

    Card card();

    record Readable(Card card, Reading reading) implements CardState {}

    /** Not readable: not schedulable, and not free either. */
    record Unknown(Card card, String why) implements CardState {}

    /** Gone or broken while others answer: not a moment's doubt any more. */
    record Failed(Card card, String why) implements CardState {}
}

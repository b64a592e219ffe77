package dev.berth.core.task;

import java.util.Optional;
import java.util.OptionalLong;

/** What a task must be given before it can start. */
public sealed interface Need {

    /** No card at all: it never waits for one and sees none. */
    record Cpu() implements Need {}

    /**
     * Some cards at once.
     *
     * @param type only cards of this exact name
     * @param devices these cards and no others
     */
    record Cards(Count count, Optional<String> type, Optional<Devices> devices, Memory memory)
            implements Need {

        /** Which of the cards there are may be taken is left to Berth. */
        public Cards(Count count, Optional<String> type, Memory memory) {
            this(count, type, Optional.empty(), memory);
        }

        public Cards with(Memory other) {
            return new Cards(count, type, devices, other);
        }

        /** All of these cards. */
        public static Cards on(Devices devices, Optional<String> type, Memory memory) {
            int count = devices.indices().size();
            return new Cards(new Count(count, count), type, Optional.of(devices), memory);
        }
    }

    /**
     * How many cards: it starts with the least and makes use of the most.
     *
     * @throws IllegalArgumentException where that is no range
     */
    record Count(int least, int most) {
        public Count {
            if (least < 1 || most < least) {
                throw new IllegalArgumentException(
                        "a card task needs 1 card or more, not " + least + " to " + most);
            }
        }

        public static Count of(int number) {
            return new Count(number, number);
        }
    }

    /**
     * What must be free on each card.
     *
     * @param mib absent: it is estimated for a model task, and for others the card must be nearly
     *     empty
     * @param isShared others that share may be on the same card
     */
    record Memory(OptionalLong mib, boolean isShared) {

        public static final Memory UNSTATED = new Memory(OptionalLong.empty(), false);

        public Memory {
            if (isShared && mib.isEmpty()) {
                throw new IllegalArgumentException("sharing a card needs a stated memory");
            }
        }

        /** The same with another amount. */
        public Memory with(long other) {
            return new Memory(OptionalLong.of(other), isShared);
        }

        public static Memory of(long mib) {
            return new Memory(OptionalLong.of(mib), false);
        }

        public static Memory shared(long mib) {
            return new Memory(OptionalLong.of(mib), true);
        }
    }

    Need CPU = new Cpu();

    static Cards cards(int count) {
        return new Cards(Count.of(count), Optional.empty(), Memory.UNSTATED);
    }
}

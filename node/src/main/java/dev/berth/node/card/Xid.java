package dev.berth.node.card;

import dev.berth.core.card.Fault;

import java.util.Optional;

/**
 * What one of the driver's numbered errors says about the card. Only what the hardware did takes a
 * card out of use; a program can bring about the others on the best of cards.
 *
 * @param fault what is wrong with the card; empty where that does not follow
 * @param words the driver's own, for people
 */
record Xid(int number, Optional<Fault.Kind> fault, String words) {

    /** Empty where this table does not have it. */
    static Optional<Xid> of(int number) {
        return switch (number) {
            // Two bits of a word flipped: data was wrong, and somebody may have used it.
            case 48 -> memory(number, "double bit ECC error");
            // The bad page or row could not be recorded, so it will be used again.
            case 64 -> memory(number, "ECC page retirement or row remap failed");
            // Contained: only those who used the memory were ended, and the row is still bad.
            case 94 -> memory(number, "contained ECC error");
            // Everybody on the card may have computed with it.
            case 95 -> memory(number, "uncontained ECC error");
            // The newer number for an error beyond correction.
            case 140 -> memory(number, "unrecovered ECC error");
            // The card's own controller has stopped; only a reset starts it again.
            case 62 -> card(number, "internal micro-controller halt");
            // The link between cards: tasks on several cards fail or hang.
            case 74 -> card(number, "NVLINK error");
            // The PCI bus does not reach it any more.
            case 79 -> card(number, "GPU has fallen off the bus");
            // The system processor of the card does not answer the driver.
            case 119 -> card(number, "GSP RPC timeout");
            case 120 -> card(number, "GSP error");
            // It did not come up.
            case 143 -> card(number, "GPU initialization failure");
            // A kernel that stops, reads where nothing is, or uses a unit in a wrong way: the
            // program's doing, or too vague to blame the card.
            case 8, 43 -> program(number, "GPU stopped processing");
            case 13 -> program(number, "graphics engine exception");
            case 31 -> program(number, "GPU memory page fault");
            case 32 -> program(number, "invalid or corrupted push buffer stream");
            case 68 -> program(number, "NVDEC0 exception");
            case 69 -> program(number, "graphics engine class error");
            // The driver cleans up after a program that was ended.
            case 45 -> program(number, "preemptive cleanup, due to previous errors");
            // A bad row or page was put aside as planned. Where work is in danger 48, 94 or 95
            // comes with it, and a repair that waits for a reset is seen by the health query.
            case 63 -> program(number, "ECC page retirement or row remapping recording event");
            // Many errors that were all corrected: no result is wrong.
            case 92 -> program(number, "high single-bit ECC error rate");
            // Repeats what the health query asks for anyway.
            case 154 -> program(number, "GPU recovery action changed");
            default -> Optional.empty();
        };
    }

    private static Optional<Xid> memory(int number, String words) {
        return Optional.of(new Xid(number, Optional.of(Fault.Kind.ECC), words));
    }

    private static Optional<Xid> card(int number, String words) {
        return Optional.of(new Xid(number, Optional.of(Fault.Kind.XID), words));
    }

    private static Optional<Xid> program(int number, String words) {
        return Optional.of(new Xid(number, Optional.empty(), words));
    }

    String shown() {
        return "Xid " + number + ": " + words;
    }
}

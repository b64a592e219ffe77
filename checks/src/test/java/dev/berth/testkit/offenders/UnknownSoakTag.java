package dev.berth.testkit.offenders;

import org.junit.jupiter.api.Tag;

/** Each has a soak tag that the build does not exclude. */
public final class UnknownSoakTag {
    private UnknownSoakTag() {}

    @Tag("soak-unheard-of")
    record OnTheClass() {}

    @Tag("slow")
    @Tag("soak-unheard-of")
    record AmongOthers() {}

    record OnAMethod() {
        @Tag("soak-unheard-of")
        void run() {}
    }
}

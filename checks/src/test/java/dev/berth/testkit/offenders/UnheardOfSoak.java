package dev.berth.testkit.offenders;

import org.junit.jupiter.api.Tag;

/** Each offends by a long test that the build would not keep out of ordinary runs. */
public final class UnheardOfSoak {
    private UnheardOfSoak() {}

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

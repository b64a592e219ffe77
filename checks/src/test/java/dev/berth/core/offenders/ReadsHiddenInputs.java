package dev.berth.core.offenders;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Each reads an input that is not in the command. */
public final class ReadsHiddenInputs {
    private ReadsHiddenInputs() {}

    record ReadsTheWallClock() {
        Instant read() {
            return Instant.now();
        }
    }

    record ReadsItByReference() {
        Supplier<LocalDate> read() {
            return LocalDate::now;
        }
    }

    record ReadsMilliseconds() {
        long read() {
            return System.currentTimeMillis();
        }
    }

    record ReadsNanoseconds() {
        long read() {
            return System.nanoTime();
        }
    }

    record TakesTheSystemsClock() {
        Clock take() {
            return Clock.systemUTC();
        }
    }

    record TakesTheSystemsInstants() {
        InstantSource take() {
            return InstantSource.system();
        }
    }

    record Draws() {
        double draw() {
            return Math.random();
        }
    }

    record MakesGenerators() {
        Random make() {
            return new Random();
        }
    }

    record SharesAGenerator() {
        int draw() {
            return ThreadLocalRandom.current().nextInt();
        }
    }

    record MakesIds() {
        UUID make() {
            return UUID.randomUUID();
        }
    }

    record Shuffles() {
        void shuffle(List<String> names) {
            Collections.shuffle(names);
        }
    }

    record ReadsTheEnvironment() {
        String read() {
            return System.getenv("HOME");
        }
    }

    record ReadsProperties() {
        String read() {
            return System.getProperty("user.dir");
        }
    }

    record AsksForItsPid() {
        long ask() {
            return ProcessHandle.current().pid();
        }
    }
}

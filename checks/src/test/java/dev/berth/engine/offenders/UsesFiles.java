package dev.berth.engine.offenders;

import java.io.InputStream;
import java.nio.file.Path;

/** Each uses files in the engine. */
public final class UsesFiles {
    private UsesFiles() {}

    record ReadsAStream(InputStream stream) {}

    record NamesAPath(Path path) {}
}

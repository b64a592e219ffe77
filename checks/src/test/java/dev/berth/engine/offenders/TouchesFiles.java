package dev.berth.engine.offenders;

import java.io.InputStream;
import java.nio.file.Path;

/** Each offends by files in the engine. */
public final class TouchesFiles {
    private TouchesFiles() {}

    record ReadsAStream(InputStream stream) {}

    record NamesAPath(Path path) {}
}

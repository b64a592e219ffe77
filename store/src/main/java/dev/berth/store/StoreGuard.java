package dev.berth.store;

import java.util.Optional;

/**
 * What protects a database besides SQLite itself.
 *
 * @param held files that must be at their paths before a commit is acknowledged
 * @param generation repeats the generation of the database after each commit
 */
public record StoreGuard(HeldFiles held, Optional<GenerationFile> generation) {

    public static final StoreGuard NONE = new StoreGuard(HeldFiles.NONE, Optional.empty());
}

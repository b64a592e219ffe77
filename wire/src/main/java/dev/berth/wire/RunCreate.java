package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request to run a file whose content the caller sends. Without content and path, a file of the
 * home is run.
 *
 * @param content complete text of the file
 * @param commandFile its absolute path
 * @param workDir absolute directory of the caller: its commands run there unless the home has the
 *     file or sets {@code work_dir}
 * @param shell of the caller, on a server of many users
 */
public record RunCreate(
        @Nullable String content,
        @Nullable String commandFile,
        @Nullable String workDir,
        @Nullable Shell shell) {}

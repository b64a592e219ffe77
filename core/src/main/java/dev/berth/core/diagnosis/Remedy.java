package dev.berth.core.diagnosis;

import java.util.Optional;

/**
 * What to do about a failure.
 *
 * @param advice one plain sentence
 * @param redo how to run the task again with a chance to do better, where that can be said
 */
public record Remedy(String advice, Optional<Redo> redo) {}

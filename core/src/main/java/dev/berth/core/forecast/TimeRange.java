package dev.berth.core.forecast;

import java.time.Instant;
import java.util.Optional;

/**
 * When something will probably happen.
 *
 * @param expected if every task runs as long as the median of earlier runs
 * @param latest if every task runs as long as the longest of ten earlier runs; never before {@code
 *     expected}; empty if that is too far away to tell
 */
public record TimeRange(Instant expected, Optional<Instant> latest) {}

package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/**
 * What an attempt's own script said of its end, in the file that lanes share with it. It decides
 * the outcome; the attempt is over when its processes are.
 *
 * @param errorType its word for what went wrong
 */
public record Said(boolean isWell, Optional<String> errorType, Instant at) {}

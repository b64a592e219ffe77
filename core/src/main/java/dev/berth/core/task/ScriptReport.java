package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/**
 * What the script of an attempt reported about its own end in {@code uni_id.json}. The report
 * decides the outcome; the attempt still ends only when its processes have ended.
 *
 * @param errorType the script's name for the error
 */
public record ScriptReport(boolean isSuccess, Optional<String> errorType, Instant at) {}

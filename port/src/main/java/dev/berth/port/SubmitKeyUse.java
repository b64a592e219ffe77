package dev.berth.port;

import dev.berth.core.id.TaskId;

import java.time.Instant;

/**
 * The request that a submit key was used for.
 *
 * @param bodyHash hash of the request body: the same key with another body is refused
 */
public record SubmitKeyUse(TaskId task, String bodyHash, Instant at) {}

package dev.berth.core.plan;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;

/** A claim and who has it. */
public record Hold(AttemptId attempt, Claim claim) {}

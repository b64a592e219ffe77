package dev.berth.core.plan;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Claim;

/** A claim and the attempt that holds it. */
public record HeldClaim(AttemptId attempt, Claim claim) {}

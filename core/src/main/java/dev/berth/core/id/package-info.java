/** Identifiers of tasks and attempts, which GPUs and tasks refer to without knowing each other. */
@NullMarked
package dev.berth.core.id;

import org.jspecify.annotations.NullMarked;

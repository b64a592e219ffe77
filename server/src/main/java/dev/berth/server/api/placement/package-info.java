/** On which GPUs a task would be placed now, and why not on others. */
@NullMarked
package dev.berth.server.api.placement;

import org.jspecify.annotations.NullMarked;

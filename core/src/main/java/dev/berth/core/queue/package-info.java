/**
 * The order of waiting tasks. Tasks wait in <em>queues</em> that do not block each other. In a
 * queue, tasks of equal priority, owner and shape form a <em>group</em>; the configured
 * <em>order</em> gives each group its current <em>precedence</em> and each task its fixed
 * <em>rank</em>.
 */
@NullMarked
package dev.berth.core.queue;

import org.jspecify.annotations.NullMarked;

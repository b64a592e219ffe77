/** The queues, and the switch that starts and stops the scheduler. */
@NullMarked
package dev.berth.server.api.queue;

import org.jspecify.annotations.NullMarked;

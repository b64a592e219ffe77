/**
 * Follows the committed events for one consumer. The <em>position</em> is the last event that the
 * consumer has handled. A <em>pass</em> is one call of the consumer. A <em>wake-up</em> starts the
 * next pass early.
 */
@NullMarked
package dev.berth.feed;

import org.jspecify.annotations.NullMarked;

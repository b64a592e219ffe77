/**
 * Notifications. A <em>receiver</em> subscribes to <em>topics</em>; an event becomes a
 * <em>notification</em>, which is formatted for the receiver's channel. A <em>delivery</em> follows
 * the committed events with its own cursor, so a crash loses nothing and no other part waits for a
 * receiver.
 */
@NullMarked
package dev.berth.notify;

import org.jspecify.annotations.NullMarked;

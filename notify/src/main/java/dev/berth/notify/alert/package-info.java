/**
 * Alerts. An <em>alert</em> is an event whose kind begins with {@code alert.}; it has a
 * <em>level</em>, a <em>type</em>, and a message in the <em>language</em> of its reader.
 */
@NullMarked
package dev.berth.notify.alert;

import org.jspecify.annotations.NullMarked;

/**
 * What somebody should know of. An <em>alert</em> is an event whose kind begins with {@code
 * alert.}; it has a <em>level</em>, a <em>type</em>, and a message in the <em>language</em> that
 * the lab has chosen.
 */
@NullMarked
package dev.berth.server.alert;

import org.jspecify.annotations.NullMarked;

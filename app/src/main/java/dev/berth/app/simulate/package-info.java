/** {@code berth simulate}: replays a trace and compares policies. */
@NullMarked
package dev.berth.app.simulate;

import org.jspecify.annotations.NullMarked;

/**
 * What travels between Berth and those who drive it, as plain records. On the wire names are in
 * snake case, times are ISO-8601 with zone, memory is in MB of 1024×1024 bytes unless the name says
 * GB, and what is not known is null.
 */
@NullMarked
package dev.berth.wire;

import org.jspecify.annotations.NullMarked;

/**
 * The JSON bodies of the API, as plain records. JSON names are in snake case, times are ISO-8601
 * with zone, memory is in MB of 1024×1024 bytes unless the name says GB, and unknown values are
 * null.
 */
@NullMarked
package dev.berth.wire;

import org.jspecify.annotations.NullMarked;

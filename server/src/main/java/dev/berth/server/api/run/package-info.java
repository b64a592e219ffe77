/** File runs: start, stop, show; and the cleanup of what abnormal ends left behind. */
@NullMarked
package dev.berth.server.api.run;

import org.jspecify.annotations.NullMarked;

/**
 * What one user may take, so that there is something left for the others: an <em>allowance</em> of
 * requests that refills with time, and <em>places</em> for streams that are held open.
 */
@NullMarked
package dev.berth.server.limit;

import org.jspecify.annotations.NullMarked;

/**
 * Measurements that anybody can repeat: {@code berth bench}. Each is taken beside a <em>floor</em>,
 * the same machine's cost of the bare work, because machines differ and are noisy.
 */
@NullMarked
package dev.berth.app.bench;

import org.jspecify.annotations.NullMarked;

/**
 * A whole Berth in one thread on virtual time: the real engine over a fake store and a fake
 * <em>machine</em> whose processes outlive the server. One number, the seed, decides everything
 * that happens in a <em>world</em>, so a failure can be lived through again.
 */
@NullMarked
package dev.berth.testkit.sim;

import org.jspecify.annotations.NullMarked;

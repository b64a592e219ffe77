/**
 * A simulation of the whole system in one thread on virtual time: the real engine with a fake store
 * and a fake <em>machine</em> whose processes survive a server crash. The seed determines
 * everything that happens in a <em>world</em>, so a failure can be reproduced.
 */
@NullMarked
package dev.berth.engine.sim;

import org.jspecify.annotations.NullMarked;

/**
 * Fakes of the node port. A {@link dev.berth.testkit.node.FakeNode} records its calls and starts
 * nothing; the others are subclasses that also answer with facts. The simulation of the engine has
 * a subclass of its own, whose processes survive a server.
 */
@NullMarked
package dev.berth.testkit.node;

import org.jspecify.annotations.NullMarked;

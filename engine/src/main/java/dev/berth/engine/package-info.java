/**
 * The only writer of scheduling state. A <em>step</em> decides a batch of <em>commands</em>
 * (requests and facts from the node) without side effects and yields <em>changes</em>,
 * <em>replies</em> and <em>effects</em>. The engine commits the changes of the whole batch, then
 * publishes the state, sends the replies and carries out the effects.
 */
@NullMarked
package dev.berth.engine;

import org.jspecify.annotations.NullMarked;

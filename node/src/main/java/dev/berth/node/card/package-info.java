/**
 * Where a node's cards come from. A <em>card source</em> is named on the command line ({@code
 * --gpus}) and gives the cards of this host with what can be read of them.
 */
@NullMarked
package dev.berth.node.card;

import org.jspecify.annotations.NullMarked;

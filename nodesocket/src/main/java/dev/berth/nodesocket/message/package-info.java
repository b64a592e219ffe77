/**
 * The messages of the two ends. An order is never answered: its result is a fact. A query is
 * answered by one reply with its number.
 */
@NullMarked
package dev.berth.nodesocket.message;

import org.jspecify.annotations.NullMarked;

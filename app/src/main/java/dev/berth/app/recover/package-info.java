/**
 * Recognises <em>lost state</em>: a database that is missing, or older than the rest of its home.
 * The <em>evidence</em> is everything else that tells the state of the home: the generation file,
 * the task directories, and living processes. {@code berth recover} brings both together again.
 */
@NullMarked
package dev.berth.app.recover;

import org.jspecify.annotations.NullMarked;

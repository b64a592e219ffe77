/**
 * A <em>task</em> is a person's request to run a command. An <em>attempt</em> is one start of it. A
 * task's state says where it stands for people; its attempt's <em>phase</em> says where the
 * processes stand. A <em>claim</em> is what an attempt holds of a card until nothing of it is left
 * there.
 */
@NullMarked
package dev.berth.core.task;

import org.jspecify.annotations.NullMarked;

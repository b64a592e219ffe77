/**
 * Where tests run the command line: a <em>stage</em> holds the surroundings of a call and a
 * <em>stub</em> of the server, which answers over a real Unix socket as the test tells it to.
 */
package dev.berth.cli.stage;

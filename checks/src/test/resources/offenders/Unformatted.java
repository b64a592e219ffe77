package offenders;
/** Offends by its looks; the formatter must say so in every run. */
public class Unformatted { int   blanks ; }

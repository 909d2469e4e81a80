/** A program of others. */
module hello {
    requires io.verbena;
}

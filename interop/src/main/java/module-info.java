/** Runs against real peers. */
module io.verbena.interop {
    requires io.verbena;
    requires io.verbena.tools;
    requires static org.jspecify;
}

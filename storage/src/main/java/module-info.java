/** Block storage over the verbs: NVMe over Fabrics. */
module io.verbena.storage {
    requires transitive io.verbena;
    requires static org.jspecify;

    exports io.verbena.storage.wire;
    exports io.verbena.storage.device;
    exports io.verbena.storage.subsystem;
    exports io.verbena.storage.host;
    exports io.verbena.storage.client;
    exports io.verbena.storage.service;
}

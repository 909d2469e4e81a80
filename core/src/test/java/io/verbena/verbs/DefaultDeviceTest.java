package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class DefaultDeviceTest {

    /** The default device belongs to the default provider: it is used for no other, and never instead of one that the program names. */
    @ParameterizedTest
    @CsvSource({
        "ibverbs, rxe0, '',      '',   rxe0",
        "ibverbs, rxe0, ibverbs, '',   rxe0",
        "ibverbs, rxe0, roce,    '',   ''",
        "ibverbs, rxe0, '',      siw0, siw0",
        "'',      rxe0, '',      '',   ''",
        "ibverbs, '',   '',      '',   ''",
        "ibverbs:rxe0, '', '',   '',   rxe0",
        "ibverbs:rxe0, '', ibverbs, '', rxe0",
        "ibverbs:rxe0, '', roce, '',   ''",
        "ibverbs:rxe0, siw0, '', '',   siw0",
        "'', '', ibverbs:rxe0,   '',   rxe0",
        "'', '', ibverbs:rxe0,   siw0, siw0",
        "'', '', roce:fd77::2,   '',   fd77::2"
    })
    void propertiesSet_rnicOpened_deviceOfDefaultProviderUsed(
            String defaultProvider, String defaultDevice, String provider, String device, String used) {
        String providerBefore = System.getProperty(RnicProvider.DEFAULT_PROPERTY, "");
        System.setProperty(RnicProvider.DEFAULT_PROPERTY, defaultProvider);
        System.setProperty(RnicProvider.DEFAULT_DEVICE_PROPERTY, defaultDevice);
        try {
            RnicOptions options = RnicOptions.defaults().withProvider(provider).withDevice(device);
            RnicOptions resolved = RnicProvider.withDefaultDevice(options);
            assertEquals(used, resolved.device());
            assertFalse(resolved.provider().contains(":"));
        } finally {
            System.setProperty(RnicProvider.DEFAULT_PROPERTY, providerBefore);
            System.clearProperty(RnicProvider.DEFAULT_DEVICE_PROPERTY);
        }
    }
}

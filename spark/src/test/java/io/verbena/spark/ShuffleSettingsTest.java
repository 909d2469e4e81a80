package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings of the user, and settings of Spark that this shuffle refuses. */
class ShuffleSettingsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spark.shuffle.service.enabled",
                "spark.shuffle.push.enabled",
                "spark.shuffle.useOldFetchProtocol",
                "spark.network.crypto.enabled",
                "spark.authenticate.enableSaslEncryption",
                "spark.ssl.rpc.enabled"
            })
    void settingWithoutEffect_isRefusedByName(String key) {
        ShuffleSettings.requireSupported(new SparkConf(false).set(key, "false"));
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> ShuffleSettings.requireSupported(new SparkConf(false).set(key, "true")));
        assertTrue(refused.toString().contains(key + "=true"), refused::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1.0", "4.20.0", "4", "3.5.7", ""})
    void otherVersionOfSpark_isRefusedByItsNumber(String version) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> ShuffleSettings.requireVersion(version));
        assertTrue(
                refused.toString().contains("is made for Spark 4.0 and 4.2, and this is Spark " + version + ":"),
                refused::toString);
    }

    @Test
    void versionOfTheBuild_isAccepted() {
        ShuffleSettings.requireVersion(org.apache.spark.package$.MODULE$.SPARK_VERSION());
        ShuffleSettings.requireVersion("4.2.7");
        ShuffleSettings.requireVersion("4.0.1");
    }

    @Test
    void otherWriters_areRefused() {
        SparkConf conf = new SparkConf(false).set("spark.shuffle.sort.io.plugin.class", "a.b.C");
        assertThrows(IllegalArgumentException.class, () -> ShuffleSettings.requireSupported(conf));
    }

    @Test
    void authenticationAndEncryptionOfFiles_areAccepted() {
        ShuffleSettings.requireSupported(
                new SparkConf(false).set("spark.authenticate", "true").set("spark.io.encryption.enabled", "true"));
    }

    @Test
    void settings_areThoseOfTheUser() {
        ShuffleSettings settings = ShuffleSettings.of(new SparkConf(false)
                .set("spark.verbena.provider", "roce")
                .set("spark.verbena.device", "127.0.0.2")
                .set("spark.verbena.attempts", "0")
                .set("spark.verbena.pool.outputBytes", "2g")
                .set("spark.reducer.maxSizeInFlight", "1m"));
        assertEquals("roce", settings.rnic().provider());
        assertEquals("127.0.0.2", settings.rnic().device());
        assertEquals(1, settings.attempts());
        assertEquals(1 << 30, settings.pool().outputBytes());
        assertEquals(64 << 20, settings.pool().mostBytes());
        assertEquals(1 << 20, settings.idleBytes());
    }

    @Test
    void blockNames_areParsed() {
        assertEquals(new BlockName("shuffle_3_17_5", 3, 17, 5, 6), BlockName.of("shuffle_3_17_5"));
        assertEquals(new BlockName("shuffle_3_17_5_9", 3, 17, 5, 9), BlockName.of("shuffle_3_17_5_9"));
        for (String other : new String[] {"rdd_1_2", "shuffle_1_2", "shuffle_1_2_x", "shuffleChunk_1_2_3_4", ""}) {
            assertThrows(IllegalArgumentException.class, () -> BlockName.of(other));
        }
    }
}

package io.verbena.micrometer;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The binder uses the public verbs, Micrometer, and nothing else. */
@Tag("sources")
class MicrometerArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.micrometer");

    @Test
    void binder_usesTheVerbsAndMicrometer() {
        noClasses()
                .should()
                .dependOnClassesThat(not(resideInAnyPackage(
                        "java..", "org.jspecify..", "io.micrometer..", "io.verbena.verbs", "io.verbena.micrometer..")))
                .check(CLASSES);
    }
}

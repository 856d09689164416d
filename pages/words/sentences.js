// What the table says of sensors, pivot and journal, by the code that it sends. `{name}` stands for
// an argument. In English the table's own sentence is shown.

import { language, number } from "./strings.js";

export const SENTENCES = {
  pivot_unknown: {
    de: "Die Spitze hat noch nicht genug geschwungen, um ihre Reibung zu beurteilen.",
    fr: "Le pivot n’a pas encore assez oscillé pour juger de son frottement." },
  pivot_good: {
    de: "Die Spitze ist gut: Sie hakt innerhalb von {degrees}°.",
    fr: "Le pivot est bon\u202f: il accroche sur {degrees}°." },
  pivot_rough: {
    de: "Die Spitze ist rau: Sie hakt innerhalb von {degrees}° (Ziel: {aim}°). Reinige und schärfe Spitze und Pfanne; das Sensorkabel muss frei hängen.",
    fr: "Le pivot est rugueux\u202f: il accroche sur {degrees}° (visé\u202f: {aim}°). Nettoyez et réaffûtez la pointe et son siège\u202f; le câble du capteur doit pendre librement." },
  one_cell: {
    de: "Eine Wägezelle: Der Tisch sieht Steine kommen und gehen und fragt, wo.",
    fr: "Un seul capteur de poids\u202f: la table voit les pièces arriver et partir, et demande où." },

  cell_no_values: {
    de: "Wägezelle {n} liefert keine gültigen Werte; prüfe Stecker und Versorgung",
    fr: "Le capteur de poids {n} ne donne pas de valeurs valables\u202f; vérifiez sa prise et son alimentation" },
  cell_repeats: {
    de: "Wägezelle {n} wiederholt einen Wert; prüfe die Datenleitung und den HX711",
    fr: "Le capteur de poids {n} répète une valeur\u202f; vérifiez son fil de données et son HX711" },
  the_cell_no_values: {
    de: "Die Wägezelle liefert keine gültigen Werte; prüfe Stecker und Versorgung",
    fr: "Le capteur de poids ne donne pas de valeurs valables\u202f; vérifiez sa prise et son alimentation" },
  the_cell_repeats: {
    de: "Die Wägezelle wiederholt einen Wert; prüfe die Datenleitung und den HX711",
    fr: "Le capteur de poids répète une valeur\u202f; vérifiez son fil de données et son HX711" },
  cell_jumped: {
    de: "Wägezelle {n} ist allein gesprungen; prüfe die Leitungen und ob sie etwas berührt",
    fr: "Le capteur de poids {n} a sauté seul\u202f; vérifiez ses fils et que rien ne le touche" },
  cell_unloaded: {
    de: "Wägezelle {n} folgt keiner Last; prüfe den Stecker und die vier Leitungen",
    fr: "Le capteur de poids {n} ne suit aucune charge\u202f; vérifiez sa prise et ses quatre fils" },
  cell_silent: {
    de: "Wägezelle {n} schweigt; prüfe Stecker und Versorgung ihres HX711 und die Leitung zu DOUT",
    fr: "Le capteur de poids {n} se tait\u202f; vérifiez la prise et l’alimentation de son HX711, et le fil vers DOUT" },
  cell_low: {
    de: "Bei Wägezelle {n} liegt DOUT fest auf Masse: ein Kurzschluss, oder die Taktleitung ist ab",
    fr: "Le DOUT du capteur de poids {n} reste à la masse\u202f: un court-circuit, ou son fil d’horloge est débranché" },
  cell_end: {
    de: "Wägezelle {n} ist am Ende ihres Messbereichs: Eine Leitung ihrer Brücke ist ab, oder es liegt viel zu viel darauf",
    fr: "Le capteur de poids {n} est en bout de plage\u202f: un fil de son pont est débranché, ou la charge est bien trop forte" },
  chip_silent: {
    de: "Wägezelle {n} schweigt, ihr DOUT bleibt auf High. Ausgesteckt? Prüfe, ob die HX711-Platine Strom hat (VCC, GND) und DT am richtigen Pin liegt.",
    fr: "Le capteur de poids {n} se tait, son DOUT reste à l’état haut. Débranché\u202f? Vérifiez que sa carte HX711 est alimentée (VCC, GND) et que son fil DT est sur la bonne broche." },
  chip_low: {
    de: "Wägezelle {n} liefert keine Daten, ihr DOUT bleibt auf Low. Prüfe, ob SCK am richtigen Pin liegt und DT weder GND noch einen anderen Pin berührt.",
    fr: "Le capteur de poids {n} ne donne pas de données, son DOUT reste à l’état bas. Vérifiez que son fil SCK est sur la bonne broche et que DT ne touche ni GND ni une autre broche." },
  chip_end: {
    de: "Wägezelle {n} ist am Ende ihres Messbereichs. Liegt etwas Schweres darauf? Wenn nicht, prüfe die vier Leitungen zwischen Wägezelle und HX711 (E+, E-, A+, A-).",
    fr: "Le capteur de poids {n} est en bout de plage. Y a-t-il quelque chose de lourd dessus\u202f? Sinon, vérifiez les quatre fils entre le capteur et le HX711 (E+, E-, A+, A-)." },
  the_chip_silent: {
    de: "Die Wägezelle schweigt, ihr DOUT bleibt auf High. Ausgesteckt? Prüfe, ob die HX711-Platine Strom hat (VCC, GND) und DT am richtigen Pin liegt.",
    fr: "Le capteur de poids se tait, son DOUT reste à l’état haut. Débranché\u202f? Vérifiez que sa carte HX711 est alimentée (VCC, GND) et que son fil DT est sur la bonne broche." },
  the_chip_low: {
    de: "Die Wägezelle liefert keine Daten, ihr DOUT bleibt auf Low. Prüfe, ob SCK am richtigen Pin liegt und DT weder GND noch einen anderen Pin berührt.",
    fr: "Le capteur de poids ne donne pas de données, son DOUT reste à l’état bas. Vérifiez que son fil SCK est sur la bonne broche et que DT ne touche ni GND ni une autre broche." },
  the_chip_end: {
    de: "Die Wägezelle ist am Ende ihres Messbereichs. Liegt etwas Schweres darauf? Wenn nicht, prüfe die vier Leitungen zwischen Wägezelle und HX711 (E+, E-, A+, A-).",
    fr: "Le capteur de poids est en bout de plage. Y a-t-il quelque chose de lourd dessus\u202f? Sinon, vérifiez les quatre fils entre le capteur et le HX711 (E+, E-, A+, A-)." },

  cells_hang: {
    de: "Der Prozess, der die Wägezellen liest, hängt und wird neu gestartet. Geschieht das wieder, beende andere Programme; dieser Computer hat zu viel zu tun.",
    fr: "Le processus qui lit les capteurs de poids est bloqué et redémarre. Si cela se répète, fermez d’autres programmes\u202f; cet ordinateur est trop occupé." },
  cells_killed: {
    de: "Der Prozess, der die Wägezellen liest, wurde beendet (Signal {n}) und wird neu gestartet. Geschieht das wieder, sieh nach, ob der Speicher ausgeht: journalctl -k.",
    fr: "Le processus qui lit les capteurs de poids a été tué (signal {n}) et redémarre. Si cela se répète, voyez si la mémoire manque\u202f: journalctl -k." },
  cells_ended: {
    de: "Der Prozess, der die Wägezellen liest, hat sich selbst beendet (Code {n}) und wird neu gestartet. Geschieht das wieder, melde es bitte mit den Zeilen darüber aus journalctl.",
    fr: "Le processus qui lit les capteurs de poids s’est arrêté de lui-même (code {n}) et redémarre. Si cela se répète, signalez-le avec les lignes qui précèdent dans journalctl." },
  cells_unopened: {
    de: "Die Wägezellen lassen sich nicht lesen; {error}",
    fr: "Impossible de lire les capteurs de poids\u202f; {error}" },
  panel_gone: {
    de: "Tasten, Lampen und Summer lassen sich nicht benutzen; {error}. Ein Tisch ohne sie hat source.panel = false",
    fr: "Boutons, lampes et vibreur sont inutilisables\u202f; {error}. Une table sans eux a source.panel = false" },
  recording_slow: {
    de: "{n} Schritte der Aufzeichnung fehlen, weil der Datenträger zu langsam war; prüfe die SD-Karte",
    fr: "Il manque {n} pas de l’enregistrement, le disque étant trop lent\u202f; vérifiez la carte SD" },
  recording_no_folder: {
    de: "Aufzeichnen nach {folder} geht nicht: {error}; prüfe Ordner und Datenträger",
    fr: "Impossible d’enregistrer dans {folder}\u202f: {error}\u202f; vérifiez le dossier et le disque" },
  recording_disk_full: {
    de: "Die Aufzeichnung hielt an: Auf dem Datenträger von {folder} sind keine {mb} MB mehr frei; schaffe Platz",
    fr: "L’enregistrement s’est arrêté\u202f: le disque de {folder} a moins de {mb} Mo libres\u202f; faites de la place" },
  recording_no_file: {
    de: "Aufzeichnen nach {path} geht nicht: {error}; prüfe den Ordner und den freien Platz",
    fr: "Impossible d’enregistrer dans {path}\u202f: {error}\u202f; vérifiez le dossier et la place libre" },
  recording_stopped: {
    de: "Die Aufzeichnung hielt an: {error}; prüfe den freien Platz auf dem Datenträger",
    fr: "L’enregistrement s’est arrêté\u202f: {error}\u202f; vérifiez la place libre sur le disque" },
  recording_not_closed: {
    de: "Die Aufzeichnung ließ sich nicht abschließen: {error}",
    fr: "L’enregistrement n’a pas pu être terminé\u202f: {error}" },

  imu_silent: {
    de: "Der Lagesensor schweigt; prüfe seine vier Leitungen. Nach den Feldern wird gefragt",
    fr: "Le capteur inertiel se tait\u202f; vérifiez ses quatre fils. La table demandera les cases" },
  imu_repeats: {
    de: "Der Lagesensor wiederholt einen Wert; prüfe seine vier Leitungen. Nach den Feldern wird gefragt",
    fr: "Le capteur inertiel répète une valeur\u202f; vérifiez ses quatre fils. La table demandera les cases" },
  imu_no_answer: {
    de: "Der Lagesensor antwortet nicht; prüfe seine vier Leitungen",
    fr: "Le capteur inertiel ne répond pas\u202f; vérifiez ses quatre fils" },
  imu_elsewhere: {
    de: "Der Lagesensor antwortet nicht bei {address} an {bus}; prüfe seinen Stecker und seine vier Leitungen (3,3 V, Masse, SDA, SCL). Bei {other} antwortet jemand: Sein Pin AD0 liegt nicht auf {level}; verdrahte ihn so oder schreibe imu_address = {other} in die Konfiguration",
    fr: "Le capteur inertiel ne répond pas à {address} sur {bus}\u202f; vérifiez sa prise et ses quatre fils (3,3 V, masse, SDA, SCL). Quelqu’un répond à {other}\u202f: sa broche AD0 n’est pas à {level}\u202f; câblez-la ainsi, ou mettez imu_address = {other} dans la configuration" },
  imu_nobody: {
    de: "Der Lagesensor antwortet nicht bei {address} an {bus}; prüfe seinen Stecker und seine vier Leitungen (3,3 V, Masse, SDA, SCL)",
    fr: "Le capteur inertiel ne répond pas à {address} sur {bus}\u202f; vérifiez sa prise et ses quatre fils (3,3 V, masse, SDA, SCL)" },
  imu_int_open: {
    de: "Die INT-Leitung des Lagesensors ist offen: Seine Zeiten sind weniger genau; prüfe die Leitung von INT zu D12",
    fr: "Le fil INT du capteur inertiel est coupé\u202f: ses temps sont moins exacts\u202f; vérifiez le fil de INT à D12" },
  imu_unknown_chip: {
    de: "Der Lagesensor meldet sich als {who}, das ist keiner der Chips, die bekanntlich gehen; der Tisch versucht es mit ihm",
    fr: "Le capteur inertiel se dit {who}, ce n’est aucune des puces connues pour marcher\u202f; la table l’essaie" },
  imu_no_samples: {
    de: "Der Lagesensor antwortet, misst aber nicht; prüfe seine Versorgung oder versuche einen anderen",
    fr: "Le capteur inertiel répond mais ne mesure rien\u202f; vérifiez son alimentation, ou essayez-en un autre" },
  imu_lost_power: {
    de: "Der Lagesensor war kurz ohne Strom und wird neu eingerichtet; prüfe seine 3,3 V und seinen Stecker",
    fr: "Le capteur inertiel a perdu son alimentation un instant et se règle de nouveau\u202f; vérifiez son 3,3 V et sa prise" },
  imu_forgets: {
    de: "Der Lagesensor behält seine Einstellungen nicht; prüfe seine 3,3 V und versuche einen anderen",
    fr: "Le capteur inertiel ne garde pas ses réglages\u202f; vérifiez son 3,3 V, et essayez-en un autre" },
  imu_stranger: {
    de: "Das Gerät bei {address} an {bus} meldet sich als {who}, das ist kein MPU-6050; prüfe, ob es der Lagesensor ist (manche Uhren haben dieselbe Adresse)",
    fr: "L’appareil à {address} sur {bus} se dit {who}, ce n’est pas un MPU-6050\u202f; vérifiez que c’est bien le capteur inertiel (certaines horloges ont la même adresse)" },
  imu_variant: {
    de: "Er meldet sich als {name} ({who}); auch der geht",
    fr: "Il se dit {name} ({who})\u202f; celui-là convient aussi" },
  bus_stuck: {
    de: "{bus} hängt: Eine Leitung liegt fest auf Masse; prüfe SDA und SCL auf einen Kurzschluss und stecke den Lagesensor kurz aus",
    fr: "{bus} est bloqué\u202f: un fil reste à la masse\u202f; cherchez un court-circuit sur SDA et SCL et débranchez un instant le capteur inertiel" },

  mcu_stalled: {
    de: "Vom Mikrocontroller kam eine halbe Sekunde lang nichts; wenn das anhält, prüfe den USB-Stecker",
    fr: "Rien n’est venu du microcontrôleur depuis une demi-seconde\u202f; si cela dure, vérifiez la prise USB" },
  mcu_gone: {
    de: "{port} ist verschwunden ({error}). Prüfe den USB-Stecker; der Tisch versucht es weiter.",
    fr: "{port} a disparu ({error}). Vérifiez la prise USB\u202f; la table continue d’essayer." },
  mcu_not_there: {
    de: "{port} ist nicht da. Prüfe den USB-Stecker und den Namen in der Konfiguration.",
    fr: "{port} n’est pas là. Vérifiez la prise USB et le nom dans la configuration." },
  mcu_denied: {
    de: "Kein Recht auf {port}. Nimm den Benutzer in die Gruppe dialout auf und melde dich neu an.",
    fr: "Pas de droit sur {port}. Ajoutez l’utilisateur au groupe dialout et reconnectez-vous." },
  mcu_busy: {
    de: "{port} wird von einem anderen Programm benutzt (Arduino IDE, ein zweites topple-table?). Schließe es.",
    fr: "{port} est utilisé par un autre programme (Arduino IDE, un second topple-table\u202f?). Fermez-le." },
  mcu_closed: {
    de: "{port} ist diesem Programm durch seinen Dienst versperrt. Starte den Dienst neu.",
    fr: "{port} est fermé à ce programme par son service. Redémarrez le service." },
  mcu_unopened: {
    de: "{port} lässt sich nicht öffnen: {error}",
    fr: "{port} ne s’ouvre pas\u202f: {error}" },
  mcu_none: {
    de: "Kein serielles Gerät in {folder}. Stecke den Mikrocontroller ein; mit einem reinen Ladekabel leuchtet er, erscheint hier aber nicht.",
    fr: "Pas d’appareil série dans {folder}. Branchez le microcontrôleur\u202f; avec un câble de charge seule il s’allume mais n’apparaît pas ici." },
  mcu_several: {
    de: "{n} serielle Geräte: {names}. Nenne das richtige in der Konfiguration.",
    fr: "{n} appareils série\u202f: {names}. Nommez le bon dans la configuration." },
  mcu_deaf: {
    de: "Keine Antwort auf {command} nach {n} Versuchen; die Leitung zum Mikrocontroller verliert zu viel",
    fr: "Pas de réponse à {command} en {n} essais\u202f; la ligne vers le microcontrôleur perd trop" },
  mcu_restarted_first: {
    de: "Der Mikrocontroller ist neu gestartet, bevor er antwortete",
    fr: "Le microcontrôleur a redémarré avant de répondre" },
  mcu_closed_here: {
    de: "Dieses Programm hat den Anschluss geschlossen",
    fr: "Ce programme a fermé le port" },
  mcu_quiet: {
    de: "In {seconds} s hat niemand geantwortet. Ist die Firmware auf der Platine (topple-table firmware flash), und ist es der richtige Anschluss?",
    fr: "Rien n’a répondu en {seconds} s. Le micrologiciel est-il sur la carte (topple-table firmware flash), et est-ce le bon port\u202f?" },
  mcu_babble: {
    de: "{n} Bytes kamen in {seconds} s, aber kein HELLO. Ein anderes Gerät, eine andere Baudrate (unsere ist 250000) oder ein schlechtes Kabel: Prüfe den Anschluss, dann spiele die Firmware auf.",
    fr: "{n} octets sont venus en {seconds} s, mais pas de HELLO. Un autre appareil, une autre vitesse (la nôtre est 250000) ou un mauvais câble\u202f: vérifiez le port, puis installez le micrologiciel." },
  mcu_says_nothing: {
    de: "Der Mikrocontroller sagt seit {seconds} s nichts, obwohl sein Anschluss offen ist. Prüfe sein Licht und den USB-Stecker; der Tisch fragt weiter.",
    fr: "Le microcontrôleur n’a rien dit depuis {seconds} s bien que son port soit ouvert. Vérifiez son voyant et la prise USB\u202f; la table continue de demander." },
  mcu_stranger: {
    de: "Ein Gerät antwortet, aber es ist keine Platine eines Topple Table (Kennung {id}). Prüfe den Anschluss in der Konfiguration.",
    fr: "Un appareil répond, mais ce n’est pas une carte Topple Table (id {id}). Vérifiez le port dans la configuration." },
  mcu_protocol: {
    de: "Die Platine spricht Protokoll {theirs}, wir {ours}. Spiele die Firmware dieser Version auf: topple-table firmware flash",
    fr: "La carte parle le protocole {theirs}, nous le {ours}. Installez le micrologiciel de cette version\u202f: topple-table firmware flash" },
  mcu_protocol_minor: {
    de: "Die Platine spricht Protokoll {theirs}, wir {ours}; es geht, aber spiele bei Gelegenheit die Firmware auf",
    fr: "La carte parle le protocole {theirs}, nous le {ours}\u202f; cela marche, mais réinstallez-la à l’occasion" },
  mcu_table: {
    de: "Die Platine wurde aus einer anderen Tabelle von Nachrichten gebaut ({theirs}, unsere ist {ours}). Baue und spiele sie neu auf: topple-table firmware flash",
    fr: "La carte a été construite avec une autre table de messages ({theirs}, la nôtre est {ours}). Reconstruisez et réinstallez\u202f: topple-table firmware flash" },
  mcu_hung: {
    de: "Der Mikrocontroller ist neu gestartet: Sein Programm hing, der Wächter hat es neu gestartet; melde es, wenn sich das wiederholt",
    fr: "Le microcontrôleur a redémarré\u202f: son programme était bloqué, le chien de garde l’a relancé\u202f; signalez-le si cela se répète" },
  mcu_brown_out: {
    de: "Der Mikrocontroller ist neu gestartet: Seine Versorgung brach ein; versuche ein anderes USB-Kabel oder einen Hub mit Netzteil",
    fr: "Le microcontrôleur a redémarré\u202f: son alimentation a faibli\u202f; essayez un autre câble USB ou un hub alimenté" },
  mcu_reset: {
    de: "Der Mikrocontroller ist neu gestartet: Seine Reset-Leitung wurde gezogen; öffnet ein anderes Programm den Anschluss?",
    fr: "Le microcontrôleur a redémarré\u202f: sa ligne de reset a été tirée\u202f; un autre programme ouvre-t-il le port\u202f?" },
  mcu_powered: {
    de: "Der Mikrocontroller ist neu gestartet: Er war ohne Strom; prüfe den USB-Stecker",
    fr: "Le microcontrôleur a redémarré\u202f: il a perdu son alimentation\u202f; vérifiez la prise USB" },
  mcu_restarted: {
    de: "Der Mikrocontroller ist neu gestartet und weiß nicht, warum; prüfe seine Versorgung",
    fr: "Le microcontrôleur a redémarré et ne sait pas pourquoi\u202f; vérifiez son alimentation" },

  readings_lost: {
    de: "{n} Messwerte gingen verloren, weil dieser Rechner zu beschäftigt war; schließe andere Programme",
    fr: "{n} mesures ont été perdues parce que cet ordinateur était trop occupé\u202f; fermez les autres programmes" },
  reader_failed: {
    de: "Das Lesen von {name} ist fehlgeschlagen ({error}); bitte melde das",
    fr: "La lecture de {name} a échoué ({error})\u202f; merci de le signaler" },
  button_stuck: {
    de: "Der Knopf {button} ist seit {seconds} s gedrückt; prüfe, ob er klemmt oder seine Leitung (GPIO{pin}) Masse berührt",
    fr: "Le bouton {button} est enfoncé depuis {seconds} s\u202f; vérifiez qu’il n’est pas coincé et que son fil (GPIO{pin}) ne touche pas la masse" },

  die_lost: {
    de: "Der Würfel „{owner}“ hat keine Verbindung; schüttle ihn neben dem Tisch, oder lade ihn.",
    fr: "Le dé « {owner} » n’est pas connecté ; secouez-le près de la table, ou chargez-le." },
  die_low: {
    de: "Der Würfel „{owner}“ hat noch {percent} % Batterie; lade ihn.",
    fr: "La pile du dé « {owner} » n’est plus qu’à {percent} % ; chargez-le." },

  duplicate_id: {
    de: "Ein anderer Tisch an diesem Broker heißt auch {table}; gib einem von ihnen eine andere id unter [table]",
    fr: "Une autre table de ce broker s’appelle aussi {table}\u202f; donnez à l’une d’elles un autre id dans [table]" },

  journal_from_copy: {
    de: "Das Journal war beschädigt, das Spiel kam aus seiner Kopie zurück. Prüfe den Spielstand",
    fr: "Le journal était endommagé, la partie est revenue de sa copie. Vérifiez le score" },
  journal_part_missing: {
    de: "Ein Teil des Journals fehlt, also kann nichts den Spielstand bestätigen. Prüfe ihn",
    fr: "Une partie du journal manque, rien ne peut donc confirmer le score. Vérifiez-le" },
  journal_went_back: {
    de: "Dem Journal fehlen die letzten Einträge. Prüfe den Spielstand",
    fr: "Le journal a perdu ses dernières entrées. Vérifiez le score" },
  journal_stranger: {
    de: "Das Journal ist nicht das zuletzt gespielte. Prüfe den Spielstand",
    fr: "Ce journal n’est pas celui de la dernière partie. Vérifiez le score" },
  journal_both_lost: {
    de: "Dem Journal und seiner Kopie fehlen die letzten Einträge. Prüfe den Spielstand",
    fr: "Le journal et sa copie ont perdu les dernières entrées. Vérifiez le score" },
};

const known = ({ code }) => Object.hasOwn(SENTENCES, code ?? "");

// What the table said in the language of the page; as the table said it, where we have no words
// for it. `said` is { reason, code, args }.
export function worded(said, tongue = language) {
  if (tongue === "en" || !known(said)) return said.reason;
  return SENTENCES[said.code][tongue].replace(/\{(\w+)\}/g, (_, name) => shown(said.args?.[name] ?? "?"));
}

const shown = (value) => (typeof value === "number" ? number(value) : String(value));

// The language in which `worded` gives it: what nobody has put into words stays English.
export const tongueOf = (said) => (known(said) ? language : "en");

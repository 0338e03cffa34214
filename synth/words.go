package synth

import (
	"strings"
	"unicode"
)

// canonical maps abbreviations and common words of other languages to the one
// English word that the other tables use. Keys are folded (see [fold]).
// German umlauts appear in both spellings, "ae" and "a".
var canonical = pairs(`
	ids=id msg=message msgs=message txt=text desc=description descr=description
	repo=repository repos=repository org=organization orgs=organization
	organisation=organization dir=directory dirs=directory folder=folder
	src=source dst=destination dest=destination addr=address pwd=password
	passwd=password pass=password passphrase=password passcode=password
	cmd=command cmds=command usr=user uid=user num=number nr=number no=number
	cnt=count qty=quantity amt=amount acct=account acc=account
	ns=namespace db=database tbl=table col=column idx=index pos=position
	param=parameter params=parameter arg=argument args=argument
	attr=attribute attrs=attribute prop=property props=property
	env=environment vars=variable var=variable cfg=config conf=config
	configuration=config img=image imgs=image pic=image picture=image
	photo=image attach=attachment attachement=attachment
	cat=category lang=language tz=timezone fmt=format len=length
	ts=timestamp dt=datetime tel=phone telephone=phone mobile=phone
	mail=email emails=email e=email pr=pull mr=pull
	lat=latitude lng=longitude lon=longitude long=longitude
	q=query qry=query kw=keyword expr=expression regex=regex regexp=regex
	func=function fn=function calc=calculate info=information
	ref=reference refs=reference auth=authentication authn=authentication
	cred=credential creds=credential recv=recipient receiver=recipient
	recipent=recipient receipient=recipient reciever=recipient rcpt=recipient
	beneficiary=recipient payee=recipient addressee=recipient
	appt=appointment cal=calendar doc=document docs=document
	lib=library pkg=package ver=version rev=revision proj=project
	grp=group chan=channel conv=conversation mgr=manager del=delete rm=remove
	mkdir=createdirectory rmdir=removedirectory mv=move cp=copy ls=list
	exec=execute init=initialize dl=download ul=upload sub=subscribe
	unsub=unsubscribe pw=password sid=id pid=id iid=id rights=permission modifiers=modifier
	finalise=finalize

	suche=search suchen=search finde=find finden=find lies=read lese=read
	lesen=read schreibe=write schreiben=write losche=delete loschen=delete
	loesche=delete loeschen=delete sende=send senden=send versenden=send
	schicke=send erstelle=create erstellen=create anlegen=create
	andern=change aendern=change andere=change bearbeiten=edit
	aktualisieren=update abrufen=get hole=get holen=get liste=list
	auflisten=list anzeigen=show uberweisen=transfer ueberweisen=transfer
	uberweisung=transfer ueberweisung=transfer bezahlen=pay zahlen=pay
	zahlung=payment buchen=book buche=book buchung=booking stornieren=cancel
	kundigen=cancel kuendigen=cancel teilen=share hochladen=upload
	herunterladen=download ausfuhren=execute ausfuehren=execute
	hinzufugen=add hinzufuegen=add entfernen=remove verschieben=move
	kopieren=copy umbenennen=rename einladen=invite
	empfanger=recipient empfaenger=recipient absender=sender betreff=subject
	nachricht=message inhalt=content datei=file dateien=file
	dateiname=filename dateipfad=filepath pfad=path ordner=folder
	verzeichnis=directory benutzer=user nutzer=user benutzername=username
	passwort=password kennwort=password betrag=amount konto=account
	kontonummer=accountnumber datum=date uhrzeit=time beginn=start ende=end
	titel=title beschreibung=description anhang=attachment anhange=attachment
	anhaenge=attachment adresse=address befehl=command abfrage=query
	suchbegriff=query anzahl=count seite=page sprache=language
	wahrung=currency waehrung=currency verwendungszweck=subject
	teilnehmer=participant termin=event aufgabe=task notiz=note
	kalender=calendar menge=quantity schlussel=key schluessel=key
	zeitraum=daterange sortierung=sort ziel=destination quelle=source
	kanal=channel berechtigung=permission

	chercher=search rechercher=search recherche=search lire=read ecrire=write
	envoyer=send supprimer=delete effacer=delete creer=create
	modifier=update obtenir=get lister=list executer=execute partager=share
	virer=transfer virement=transfer payer=pay reserver=book annuler=cancel
	ajouter=add telecharger=download deplacer=move copier=copy inviter=invite
	destinataire=recipient destinataires=recipient expediteur=sender
	objet=subject corps=body contenu=content fichier=file chemin=path
	dossier=folder repertoire=directory utilisateur=user motdepasse=password
	montant=amount compte=account debut=start fin=end titre=title nom=name
	adresses=address commande=command requete=query limite=limit
	nombre=count beneficiaire=recipient piece=attachment langue=language
	devise=currency tache=task evenement=event

	buscar=search leer=read escribir=write enviar=send eliminar=delete
	borrar=delete crear=create actualizar=update listar=list ejecutar=execute
	compartir=share pagar=pay transferir=transfer reservar=book
	cancelar=cancel anadir=add agregar=add mover=move invitar=invite
	descargar=download subir=upload
	destinatario=recipient destinatarios=recipient remitente=sender
	asunto=subject cuerpo=body contenido=content mensaje=message
	archivo=file fichero=file ruta=path carpeta=folder directorio=directory
	usuario=user contrasena=password importe=amount monto=amount
	cuenta=account fecha=date inicio=start titulo=title
	descripcion=description adjunto=attachment adjuntos=attachment
	direccion=address comando=command consulta=query cantidad=quantity
	concepto=subject dinero=money destino=destination idioma=language moneda=currency tarea=task evento=event

	cerca=search leggi=read scrivi=write invia=send elimina=delete crea=create
	aggiorna=update esegui=execute condividi=share paga=pay prenota=book
	mittente=sender oggetto=subject corpo=body percorso=path cartella=folder
	utente=user importo=amount conto=account nome=name messaggio=message
	assunto=subject mensagem=message arquivo=file caminho=path pasta=folder
	senha=password conta=account ontvanger=recipient onderwerp=subject
	bericht=message bestand=file pad=path gebruiker=user wachtwoord=password
	bedrag=amount rekening=account verzenden=send verwijderen=delete
	zoeken=search
`)

// folds are the letters with marks that occur in the languages above.
var folds = strings.NewReplacer(
	"ä", "a", "ö", "o", "ü", "u", "ß", "ss", "à", "a", "á", "a", "â", "a", "ã", "a", "å", "a",
	"è", "e", "é", "e", "ê", "e", "ë", "e", "ì", "i", "í", "i", "î", "i", "ï", "i",
	"ò", "o", "ó", "o", "ô", "o", "õ", "o", "ø", "o", "ù", "u", "ú", "u", "û", "u",
	"ç", "c", "ñ", "n", "œ", "oe", "æ", "ae",
)

// fold lowers a text and takes the marks off its letters.
func fold(s string) string { return folds.Replace(strings.ToLower(s)) }

// split cuts an identifier of any convention (snake, kebab, camel, Pascal,
// dotted) into canonical words: lower case, singular, English.
func split(name string) []string {
	var words []string
	for _, piece := range cut(name) {
		words = append(words, canonicalWords(piece)...)
	}
	return words
}

// cut cuts an identifier at its separators and capitals into folded pieces.
func cut(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, fold(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !pluralAcronym(runes, i)):
			flush(i)
		}
	}
	flush(len(runes))
	return words
}

// pluralAcronym tells whether the capital at i ends an acronym in the plural
// ("IDs", "URLs"), which is one word.
func pluralAcronym(runes []rune, i int) bool {
	return runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
}

// longestWord bounds what is looked at for compounds.
const longestWord = 40

// canonicalWords turns one folded word into canonical ones: usually one, two
// when the word is a compound whose halves are both known ("filepath").
func canonicalWords(w string) []string {
	if c, ok := known(w); ok {
		return []string{c}
	}
	if stem := strings.TrimRight(w, "0123456789"); stem != w && len(stem) > 2 {
		return canonicalWords(stem) // "address2"
	}
	if len(w) > longestWord {
		return []string{w}
	}
	// The longest first half wins: "accountid" is account + id.
	for i := len(w) - 2; i >= 3; i-- {
		a, okA := known(w[:i])
		b, okB := known(w[i:])
		if okA && okB {
			return []string{a, b}
		}
	}
	return []string{singular(w)}
}

// known finds a folded word in any table, in the singular, and returns its
// canonical form.
func known(w string) (string, bool) {
	if c, ok := canonical[w]; ok {
		return c, true
	}
	if inLexicon(w) {
		return w, true
	}
	s := singular(w)
	if c, ok := canonical[s]; ok {
		return c, true
	}
	if inLexicon(s) {
		return s, true
	}
	return "", false
}

func inLexicon(w string) bool {
	if _, ok := nouns[w]; ok {
		return true
	}
	if _, ok := verbs[w]; ok {
		return true
	}
	return handles[w] || fillers[w] || qualifiers[w]
}

// singular takes an English plural ending off a word.
func singular(w string) string {
	switch {
	case len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}

// verbOf finds a verb in any inflection: "sends", "sending", "sent" are send.
func verbOf(w string) (string, verb, bool) {
	try := func(c string) (string, verb, bool) {
		if k, ok := canonical[c]; ok {
			c = k
		}
		v, ok := verbs[c]
		return c, v, ok
	}
	for _, c := range inflections(w) {
		if c, v, ok := try(c); ok {
			return c, v, true
		}
	}
	return "", verb{}, false
}

func inflections(w string) []string {
	out := []string{w}
	add := func(s string) {
		if len(s) > 1 {
			out = append(out, s)
		}
	}
	switch {
	case strings.HasSuffix(w, "ies"):
		add(w[:len(w)-3] + "y")
	case strings.HasSuffix(w, "es"):
		add(w[:len(w)-1])
		add(w[:len(w)-2])
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		add(w[:len(w)-1])
	}
	for _, end := range []string{"ing", "ed"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) > 2 {
			add(stem)
			add(stem + "e")
			if n := len(stem); stem[n-1] == stem[n-2] {
				add(stem[:n-1])
			}
		}
	}
	return out
}

// pairs reads "a=b c=d" into a map.
func pairs(text string) map[string]string {
	m := map[string]string{}
	for _, f := range strings.Fields(text) {
		k, v, _ := strings.Cut(f, "=")
		m[k] = v
	}
	return m
}

// set reads words into a set.
func set(text string) map[string]bool {
	m := map[string]bool{}
	for _, f := range strings.Fields(text) {
		m[f] = true
	}
	return m
}

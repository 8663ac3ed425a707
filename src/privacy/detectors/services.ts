/**
 * Services whose keys look like any other random text: the name of the service near one says what it is. Names that are
 * also words of a language, and those that stand beside hashes of other things (code hosts, registries), are left out.
 */
export const services: readonly string[] = `
abacusai ably abstractapi abuseipdb abyssale accuweather activecampaign acuityscheduling adafruit adobe adzuna
aeroworkflow agora ahrefs ai21 airbrake airship airtable airvisual aiven alchemyapi alconost alegra aletheiaapi algolia
alibaba alienvault allsports amadeus ambee amplitude anypoint apacta apideck apiflash apifonica apify apilayer
apimatic apimetrics apiscience apitemplate apollographql appcenter appcues appfollow appoptics appsynergy apptentive
apptivo aptible artifactory artsy asana assemblyai atera atlassian audd autodesk autoklose autopilothq avaza
aviationstack axonaut aylien ayrshare azuredevops bannerbear baremetrics basecamp baseten beebole besnappy besttime
betterstack billomat bitbar bitcoinaverage bitfinex bitly bitmex bitrise bitwarden blazemeter blitapp blocknative
blynk bombbomb boostnote borgbase braintree branchio brandfetch browserstack browshot bscscan buddyns budibase
bugcrowd bugherd bugsnag buildkite builtwith bulksms buttercms caflou calendarific calendly calorieninja campayn
cannyio capsulecrm captaindata carboninterface cartesia cashboard caspio censys centralstation cexio chargebee
chartmogul chatfule checklyhq checkr checkvist circleci clarifai clearbit clickhelp clicksend clickup clickuptoken
cliengo clinchpad clockify clockworksms closecrm cloudant cloudconvert cloudelements cloudflare cloudimage cloudinary
cloudmersive cloudplan cloudsmith cloudways cloverly clustdoc codacy codeclimate codecov codemagic codequiry
codesandbox cohere coinapi coinbase coingecko coinlayer coinlib coinmarketcap collibra commercejs companyhub confluent
contentful contentstack conversiontools convertapi convertkit convier copyscape cosmosdb countrylayer coveralls
craftmypdf crossbrowsertesting crowdin crowdstrike cryptocompare currencycloud currencyfreaks currencylayer
currencyscoop currentsapi customerguru customerio dailyco dandelion dareboost databento databox datadog datagov
datarobot datastax debounce deepai deepgram deepl deepseek delighted demio detectify detectlanguage devcycle dfuse
diffbot diggernaut digicert digitalocean directus discord disqus dnscheck docparser documo docusign doppler dotdigital
dovico dronahq droneci dropbox duneanalytics duply dwolla dynalist dynatrace dyspatch eagleeyenetworks easyinsight
ecostruxure edamam edenai eightxeight elasticemail elevenlabs enablex endorlabs envoyapikey eppo etherscan ethplorer
etsy eventbrite everhour exchangerateapi exchangeratesapi exoscale exportsdk extractorapi facebook faceplusplus
fastforex fastly fauna feedier fetchrss fibery figma filestack finage financialmodelingprep finicity finnhub
fireblocks fixerio flagsmith flatio fleetbase fleetio flexport flickr flightapi flightlabs flightstats floatapi
flowflu flutterwave fmfw formbucket formcraft formio formsite foursquare frameio freshbooks freshdesk fulcrum
fullcontact fullstory fusebill fxmarket gandi geckoboard gengo geoapify geocode geocodify geocodio geoipifi getemail
getemails getgeoapi getgist getresponse getsandbox gitguardian gitter gladia glassnode gocanvas gocardless godaddy
goodday gotify grafbase graphcms graphhopper groovehq groq gtmetrix guardianapi gumroad gyazo hackerone happi
happyscribe hasura hellosign helpcrunch helpscout hereapi heroku hetzner hiveage hivemq holidayapi honeybadger
honeycomb hootsuite hotjar huaweicloud hubspot huggingface humio hybiscus hygraph hypertrack ibmcloud iconfinder
iexapis iexcloud imagekit imagga infobip infracost infura insightly instabot instamojo integromat intercom interseller
intrinio invoiceocean ipapi ipgeolocation ipinfo ipinfodb ipquality ipstack iterable jotform jumpcloud jupiterone juro
kaggle kairos kaleyra kanbantool karmacrm keenio keycloak kickbox klaviyo klipfolio knapsackpro kontent kraken kucoin
kustomer kylas lacework langchain langfuse languagelayer larksuite launchdarkly leadfeeder lemlist lemonsqueezy
lendflow lessannoyingcrm lexigram linearb linenotify linkpreview linode liveagent liveblocks livekit livestorm
loadmill locationiq logdna loggly loginradius logrocket logtail logzio lokalise loyverse lunchmoney luno lusha
macaddress madkudu magicbell mailboxlayer mailchimp mailerlite mailersend mailgun mailjet mailmodo mailsac mailtrap
mandrill mapbox mapquest marketo marketstack mattermost mavenlink maxmind meaningcloud mediastack meistertask meraki
mergify mesibo messagebird metaapi metabase metaplane metrilo mindmeister miro mistral mistralai mixmax mixpanel
mockaroo mollie monkeylearn moonclear moonclerk moosend moralis motherduck mparticle mrticktock mydatascope
myexperiment myfreshworks myintervals namecheap nasdaqdatalink nethunt netlify netsuite neutrinoapi newrelic newsapi
newscatcher newsdata nexmo nftport nicereply nightfall nomics noticeable notion nozbe numverify nutritionix nylas
nytimes oanda okta omnisend onedesk onelogin onepagecrm onesignal onesky onfleet oopspam opencagedata opendatasoft
opengraphr openphone openrouter openuv openvpn openweather openweathermap opsgenie optidash optimizely overloop owlbot
packagecloud pagarme pagerduty pandadoc pandascore pangea paperform papertrail paralleldots parsehub parseur
partnerstack pastebin paydirt payfast paymo paymongo payoneer paypal paystack pdflayer pdfshift pendo peopledatalabs
pepipost perplexity pexels photoroom pinata pinecone pingdom pingone pipedream pipedrive pivotaltracker pixabay plaid
planetscale planview planyo plivo podio pollsapi poloniex polygonio polygonscan portainer positionstack postageapp
postbacks posthog postmark powrbot privacyai prodpad productboard prospectcrm protocolsio proxycrawl pubnub pulumi
purestake pushbullet pusher pushover pushy qase qdrant qualaroo qubole quickbase quicknode rabbitmq railwayapp
rapidapi rawg raygun razorpay reachmail rebrandly rechargepayments recurly redash redmine rentman repairshopr
replicate replyio requestfinance restpack restpackhtml retool revampcrm ringcentral rippling ritekit robinhood
rocketreach rockset rollbar roninapp rownd rudderstack ruddr runrunit sailpoint saladcloud salesblink salescookie
salesflare salesforce salesmate samsara satismeter saucelabs scaleway scalewayapikey scalr scalyr schoology scrapeowl
scraperapi scraperbox scrapestack scrapfly scrapingant scrapingbee screenshotapi screenshotlayer scrutinizerci
securitytrails segmentapi selectpdf semaphore semrush sendbird sendgrid sendinblue sendowl sendpulse sentry serphouse
serpstack servicenow sheety sherpadesk shipday shippo shodan shopify shotstack shutterstock signable signalwire
signaturit signupgenius sigopt simfin simplesat simplynoted simvoly sinch sinchmessage sirv siteleaf skrapp
skybiometry skyscanner smartling smartsheet smartystreets smooch snapchat snipcart snowflake snyk snykkey socrata
softlayer solarwinds sonar sonarcloud sonarqube sourcegraph sparkpost spectralops speechtextai splunk
splunkobservability spoonacular sportradar sportsmonk spotify spotinst sqreen squarespace ssllabs sslmate stabilityai
stannp statsig statuscake statuspage statuspal stitchdata stockdata storecove stormboard stormglass storyblok
storychief strava stripe stripo stytch sugester sumologic supabase supernotes surveyanyplace surveybot surveymonkey
surveysparrow survicate svix swarmia swiftype synthesia tableau tailscale tallyfy tatumio taxjar teamgate teamviewer
teamworkcrm teamworkdesk technicalanalysisapi tefter telegram telesign teletype telnyx tencent testingbot textmagic
theoddsapi thinkific thousandeyes ticketmaster tickettailor tiingo tiktok timecamp timezoneapi tineswebhook tmetric
todoist togetherai toggl toggltrack tokeet tomorrowio tomtom tradier transferwise travelpayouts travisci trello
trustpilot tumblr turso twelvedata twilio twingate twitch twitter tyntec typeform typesense typetalk ubidots uclassify
unbounce unifyid unkey unplugg unsplash upcdatabase uplead uploadcare upstash uptimerobot upwave urlscan userflow
userstack vagrantcloud vatlayer vbout veevavault veracode vercel verimail veriphone versioneye viewneo virustotal
visualcrossing voiceflow voicegain vonage voodoosms vouchery vpnapi vultr vyte wakatime walkscore wandb wasabi
weatherapi weatherbit weatherstack weaviate webex webflow webscraper webscraping websitepulse wechat weightsandbiases
wepay whatsapp whoxy wistia wiz woocommerce workato workday workos worksnaps workstack worldcoinindex worldweather
wpengine wrike xendit xero yandex yapily yelp yodlee youneedabudget yousign youtube zapier zapiernla zendesk zenkit
zenrows zenscrape zenserp zeplin zerobounce zerotier zilliz zipapi zipbooks zipcodeapi zixflow zoho zohocrm
zonkafeedback zoominfo zulip zulipchat zuora
`
  .trim()
  .split(/\s+/)

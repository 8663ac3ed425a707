/**
 * Services whose keys look like any other random text: the name of the service near one says what it is. Names that are
 * also words of a language, and those that stand beside hashes of other things (code hosts, registries), are left out.
 */
export const services: readonly string[] = `
abstractapi abuseipdb abyssale accuweather activecampaign acuityscheduling adafruit adobe adzuna aeroworkflow agora ahrefs
airbrake airship airtable airvisual aiven alchemyapi alconost alegra aletheiaapi algolia alibaba alienvault
allsports amplitude anypoint apacta apideck apiflash apify apilayer apimatic apiscience apollographql appcues
appfollow appoptics appsynergy apptentive apptivo artifactory artsy asana assemblyai atera atlassian audd 
autodesk autoklose autopilothq avaza aviationstack axonaut aylien ayrshare bannerbear baremetrics basecamp beebole
billomat bitbar bitfinex bitly bitrise bitmex blazemeter blitapp blocknative bombbomb boostnote borgbase brandfetch
browserstack browshot buddyns budibase bugherd bugsnag buildkite bulksms buttercms calendarific calendly
calorieninja campayn cannyio capsulecrm carboninterface cashboard caspio censys centralstation cexio chartmogul
chatfule checklyhq circleci clarifai clearbit clickhelp clicksend clickup clickuptoken cliengo clinchpad clockify
clockworksms cloudelements cloudflare cloudimage cloudmersive cloudplan cloudsmith cloverly clustdoc codacy
codeclimate codecov codemagic codequiry cohere coinapi coinbase coinlayer coinlib commercejs companyhub confluent
contentful convertapi convertkit copyscape cosmosdb coveralls craftmypdf crowdin crowdstrike cryptocompare
currencycloud currencyfreaks currencylayer currencyscoop currentsapi customerguru customerio dandelion
dareboost databento databox datadog datastax deepai deepgram deepseek delighted detectlanguage devcycle dfuse diffbot diggernaut digitalocean
disqus dnscheck documo docusign doppler dotdigital dovico dropbox duply dynalist dynatrace dyspatch eagleeyenetworks
easyinsight edamam edenai eightxeight elevenlabs enablex endorlabs envoyapikey etherscan etsy eventbrite everhour
exchangerateapi exchangeratesapi exoscale facebook fastforex fastly feedier fibery figma filestack finage finicity financialmodelingprep
finnhub fixerio flatio fleetbase flexport flickr flightapi flightlabs flightstats floatapi flowflu flutterwave fmfw
formbucket formcraft formio formsite foursquare frameio freshbooks freshdesk fulcrum fullstory fusebill fxmarket
gengo geoapify geocode geocodify geocodio geoipifi getemail getemails getgeoapi getgist getresponse getsandbox
gitter glassnode gocanvas gocardless godaddy goodday graphcms graphhopper groovehq groq gtmetrix guardianapi gumroad
gyazo happi happyscribe helpcrunch helpscout hereapi heroku hiveage holidayapi honeycomb hubspot huggingface
hybiscus hypertrack ibmcloud iconfinder iexapis iexcloud imagekit imagga infobip infura insightly instabot instamojo
intercom interseller intrinio invoiceocean ipapi ipgeolocation ipinfo ipinfodb ipquality ipstack jotform
jumpcloud juro kairos kanbantool karmacrm keenio kickbox klaviyo klipfolio knapsackpro kontent kucoin kylas
languagelayer larksuite launchdarkly leadfeeder lemlist lendflow lessannoyingcrm lexigram linearb linenotify
linkpreview liveagent livestorm loadmill locationiq loginradius logzio lokalise loyverse luno macaddress madkudu
magicbell mailboxlayer mailchimp mailerlite mailgun mailjet mailmodo mailsac mandrill mapbox mapquest marketstack
mattermost mavenlink maxmind meaningcloud mediastack meistertask meraki mesibo messagebird metaapi metabase metrilo
mindmeister mixmax mixpanel mockaroo monkeylearn moonclear moonclerk moosend moralis mrticktock mydatascope
myexperiment myfreshworks myintervals nasdaqdatalink nethunt netlify neutrinoapi newrelic newsapi newscatcher nexmo
nftport nicereply nightfall notion nozbe numverify nutritionix nylas nytimes oanda okta omnisend onedesk onelogin
onepagecrm onesignal onfleet oopspam opencagedata opengraphr openuv openvpn openweather openweathermap opsgenie
optimizely overloop owlbot packagecloud pagarme pagerduty pandadoc pandascore paralleldots parsehub parseur
partnerstack pastebin paydirt paymo paymongo paypal pendo pepipost pexels pinata pinecone pipedream pipedrive
pivotaltracker pixabay plaid planetscale planview planyo plivo podio pollsapi poloniex polygonio positionstack
postageapp postbacks posthog postmark powrbot privacyai prodpad productboard prospectcrm protocolsio proxycrawl
pubnub pulumi purestake pushbullet pusher pushover qase qualaroo quickbase rabbitmq rapidapi rawg razorpay reachmail
rebrandly rechargepayments redmine rentman repairshopr replicate requestfinance restpack restpackhtml ringcentral
ritekit rocketreach rockset rollbar roninapp rownd runrunit salesblink salescookie salesflare salesforce salesmate
satismeter saucelabs scalewayapikey scalr scrapeowl scraperapi scraperbox scrapestack scrapfly scrapingant
scrapingbee screenshotapi screenshotlayer scrutinizerci securitytrails segmentapi semaphore semrush sendbird
sendgrid sendinblue sentry serphouse serpstack sheety shipday shippo shodan shopify shotstack shutterstock signable
signalwire signaturit signupgenius sigopt simfin simplesat simplynoted simvoly sinchmessage sirv siteleaf skrapp
skybiometry smartsheet snipcart snowflake snyk snykkey softlayer solarwinds sonar sonarcloud sonarqube sourcegraph
sparkpost speechtextai splunk splunkobservability spoonacular sportradar sportsmonk spotify spotinst sqreen
squarespace ssllabs statuscake statuspage statuspal stitchdata stockdata storecove stormboard stormglass storyblok
storychief strava stripo stytch sugester sumologic supabase supernotes surveyanyplace surveybot surveymonkey
surveysparrow survicate swiftype tailscale tallyfy tatumio taxjar teamgate teamviewer teamworkcrm teamworkdesk
technicalanalysisapi tefter telegram telesign telnyx testingbot textmagic theoddsapi thinkific thousandeyes
ticketmaster tiingo timecamp timezoneapi tineswebhook tmetric todoist tokeet tomorrowio tomtom tradier transferwise
travelpayouts travisci trello twelvedata twilio twitch twitter tyntec typeform ubidots uclassify unifyid unplugg
unsplash upcdatabase uplead uploadcare uptimerobot upwave urlscan userflow userstack vagrantcloud vatlayer vbout
veevavault vercel verimail veriphone versioneye viewneo virustotal visualcrossing voicegain voodoosms vouchery
vpnapi vultr vyte wakatime walkscore weatherbit weatherstack webex webflow webscraper webscraping websitepulse wepay
whoxy wistia wiz workato worksnaps workstack worldcoinindex worldweather wrike yandex yelp youneedabudget zapier
zapiernla zendesk zenkit zenrows zenscrape zenserp zeplin zerobounce zerotier zipapi zipbooks zipcodeapi zixflow
zohocrm zonkafeedback
`
  .trim()
  .split(/\s+/)
